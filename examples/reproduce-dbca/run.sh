#!/bin/sh
# DBCA (Moisio et al. 2023), from a parsed corpus to the report on its splits, each with its control.
#   sh examples/reproduce-dbca/run.sh CORPUS                   full size: hours on a GPU
#   sh examples/reproduce-dbca/run.sh CORPUS --scale small     in minutes on a laptop: that everything runs; its numbers mean nothing
#   ... --target fr --opus FOLDER --seeds "1 2 3"              another target (de), a neutral system, other split seeds (1 2 3)
# CORPUS is a table with the columns en, de (or the target), lemmas, relations, heads. Started again it goes on where it stopped.
# RECOMBINE names another command than recombine.
set -eu
here=$(dirname "$0")
corpus=
scale=full
target=de
opus=
seeds="1 2 3"
while [ $# -gt 0 ]; do
  case "$1" in
    --scale) scale=$2; shift 2 ;;
    --target) target=$2; shift 2 ;;
    --opus) opus=$2; shift 2 ;;
    --seeds) seeds=$2; shift 2 ;;
    -*) sed -n '2,7s/^# //p' "$0"; exit 2 ;;
    *) corpus=$1; shift ;;
  esac
done
[ -n "$corpus" ] || { sed -n '2,7s/^# //p' "$0"; exit 2; }
recombine=${RECOMBINE:-recombine}
out=out/reproduce-dbca/$scale-$target
mkdir -p "$out"
# Tiny models only get in their own way on several threads.
[ "$scale" = full ] || export OMP_NUM_THREADS=1

build() {
  kind=$1; seed=$2; control=$3; name=$4
  set -- "dbca-$kind" --seed "$seed" --out "$out/$name" -o "corpus=$out/clean.tsv.gz" \
    -o "benchmark.target=$target" -o "control=$control"
  case $scale in
    full) set -- "$@" -o 'train_size=[142800,143000]' -o 'test_size=[15900,16000]' ;;
    # So few sentences have few frequent atoms: none is cut off.
    small) set -- "$@" -o edition=all -o 'train_size=[600,700]' -o 'test_size=[80,100]' -o dev_size=50 ;;
    *) echo "--scale is full or small, not $scale"; exit 2 ;;
  esac
  "$recombine" build "$@"
}

run() {
  name=$1; shift
  set -- "$@" -o "benchmark=$out/$name" -o "run=$out/runs/$name"
  if [ "$scale" = small ]; then
    set -- "$@" -o sample=12
    for system in plain control; do
      for option in preset=tiny steps=10 evaluate_every=10 checkpoint_every=10 batch_size=8 beam=1 max_length=40; do
        set -- "$@" -o "system.$system.$option"
      done
    done
  fi
  if [ -n "$opus" ]; then
    "$recombine" run "$here/neutral.toml" "$@" -o "system.opus-mt.model=$opus"
  else
    "$recombine" run "$here/controls.toml" "$@"
  fi
}

[ -f "$out/clean.tsv.gz" ] || "$recombine" clean "$corpus" --source en --target "$target" --out "$out/clean.tsv.gz"
[ "$scale" = full ] || seeds=1
runs=
for seed in $seeds; do
  for kind in min random max; do
    build $kind "$seed" random "$kind-$seed"
    run "$kind-$seed"
    runs="$runs $out/runs/$kind-$seed"
  done
  # The same split beside a control that shows as many of its compounds as the corpus can.
  build max "$seed" covering "max-$seed-covering"
  run "max-$seed-covering"
done
"$recombine" report $runs --out "$out/report"
echo "Open $out/report/report.html; beside the covering control: $out/runs/max-*-covering/report/report.html"
