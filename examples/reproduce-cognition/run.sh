#!/bin/sh
# CoGnition (Li et al. 2021), from the release to the report: systems that learn from its own valid and test.
#   sh examples/reproduce-cognition/run.sh RELEASE                   full size: an hour on a GPU
#   sh examples/reproduce-cognition/run.sh RELEASE --scale small     in minutes on a laptop: that everything runs; its numbers mean nothing
# RELEASE is the folder with valid.*, test.*, cg-test/ and the lexicon. Exchanging words of Chinese needs pip install 'recombine[zh]'.
# Started again it goes on where it stopped. RECOMBINE and PYTHON name other commands than recombine and python.
set -eu
here=$(dirname "$0")
release=
scale=full
while [ $# -gt 0 ]; do
  case "$1" in
    --scale) scale=$2; shift 2 ;;
    -*) sed -n '2,6s/^# //p' "$0"; exit 2 ;;
    *) release=$1; shift ;;
  esac
done
[ -n "$release" ] || { sed -n '2,6s/^# //p' "$0"; exit 2; }
recombine=${RECOMBINE:-recombine}
python=${PYTHON:-python}
out=out/reproduce-cognition/$scale
mkdir -p "$out"
# Tiny models only get in their own way on several threads.
[ "$scale" = full ] || export OMP_NUM_THREADS=1

[ -d "$out/own-text" ] || "$python" "$here/own_text.py" "$release" "$out/own-text"
"$recombine" build cognition --out "$out/benchmark" -o "path=$out/own-text"
set -- "$here/own-text.toml" -o "benchmark=$out/benchmark" -o "run=$out/run"
case $scale in
  full) ;;
  small)
    set -- "$@" -o 'seeds=[1]' -o sample=24
    for system in plain rotary rdrop rotary-rdrop exchange exchange-rotary exchange-rdrop together; do
      for option in preset=tiny steps=10 evaluate_every=10 checkpoint_every=10 beam=1 max_length=40; do
        set -- "$@" -o "system.$system.$option"
      done
    done
    for system in exchange exchange-rotary exchange-rdrop together; do
      set -- "$@" -o "system.$system.augment.n=50" -o "system.$system.augment.copies=1"
    done ;;
  *) echo "--scale is full or small, not $scale"; exit 2 ;;
esac
"$recombine" run "$@"
echo "Open $out/run/report/report.html; Table 6 is $out/run/report/tables/table-6-cter.md"
