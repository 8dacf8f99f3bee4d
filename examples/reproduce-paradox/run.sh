#!/bin/sh
# Paradox (Dankers et al. 2022), from the released tests to the report on an English-Dutch model over its training.
#   sh examples/reproduce-paradox/run.sh INPUTS TRAINING HELDOUT                   full size: an hour on a GPU
#   sh examples/reproduce-paradox/run.sh INPUTS TRAINING HELDOUT --scale small     in minutes on a laptop: that everything runs; its numbers mean nothing
# INPUTS is the folder of the released tests, TRAINING a table with the columns en and nl, HELDOUT one that has a column split besides.
# Started again it goes on where it stopped. RECOMBINE names another command than recombine.
set -eu
here=$(dirname "$0")
scale=full
inputs= training= heldout=
while [ $# -gt 0 ]; do
  case "$1" in
    --scale) scale=$2; shift 2 ;;
    -*) sed -n '2,6s/^# //p' "$0"; exit 2 ;;
    *) if [ -z "$inputs" ]; then inputs=$1; elif [ -z "$training" ]; then training=$1; else heldout=$1; fi; shift ;;
  esac
done
[ -n "$heldout" ] || { sed -n '2,6s/^# //p' "$0"; exit 2; }
recombine=${RECOMBINE:-recombine}
out=out/reproduce-paradox/$scale
mkdir -p "$out"
# Tiny models only get in their own way on several threads.
[ "$scale" = full ] || export OMP_NUM_THREADS=1

"$recombine" build paradox --seed 1 --out "$out/benchmark" -o "path=$inputs" -o "training=$training" -o "heldout=$heldout"
set -- "$here/en-nl.toml" -o "benchmark=$out/benchmark" -o "run=$out/run"
case $scale in
  full) ;;
  small)
    set -- "$@" -o 'seeds=[1]' -o sample=24
    for option in preset=tiny steps=10 evaluate_every=10 checkpoint_every=10 batch_size=8 beam=1 max_length=40; do
      set -- "$@" -o "system.transformer.$option"
    done ;;
  *) echo "--scale is full or small, not $scale"; exit 2 ;;
esac
"$recombine" run "$@"
echo "Open $out/run/report/report.html"
