#!/bin/sh
# SGET (Kumon et al. 2024), from nothing to a report and the tables of docs/results/sget.md.
#   sh examples/reproduce-sget/run.sh                    full size: hours on a GPU
#   sh examples/reproduce-sget/run.sh --scale small      in minutes on a laptop: that everything runs; its numbers mean nothing
#   sh examples/reproduce-sget/run.sh --llama FOLDER     Llama 2 with LoRA, too (Tables 2, 3, 5 and 10), from a folder of its weights
# Started again it goes on where it stopped. RECOMBINE and PYTHON name other commands than recombine and python.
set -eu
here=$(dirname "$0")
scale=full
llama=
while [ $# -gt 0 ]; do
  case "$1" in
    --scale) scale=$2; shift 2 ;;
    --llama) llama=$2; shift 2 ;;
    *) sed -n '2,6s/^# //p' "$0"; exit 2 ;;
  esac
done
recombine=${RECOMBINE:-recombine}
python=${PYTHON:-python}
out=out/reproduce-sget/$scale
mkdir -p "$out"
# Tiny models only get in their own way on several threads.
[ "$scale" = full ] || export OMP_NUM_THREADS=1

case $scale in
  full) recipe=sget-official; options= ;;
  small) recipe=sget-mini; options="-o edition=official -o disjoint=false" ;;
  *) echo "--scale is full or small, not $scale"; exit 2 ;;
esac

# A benchmark of this name with these options, and an experiment on it; small trains tiny models for a few steps.
build() { name=$1; shift; "$recombine" build "$recipe" --seed 1 $options "$@" --out "$out/$name"; }
run() {
  experiment=$1; name=$2; shift 2
  set -- "$experiment" "$@" -o "benchmark=$out/$name" -o "run=$out/runs/$name"
  if [ "$scale" = small ]; then
    set -- "$@" -o 'seeds=[1]' -o sample=84
    for system in transformer $( [ "$name" = official ] && echo control ); do
      for option in preset=tiny steps=10 evaluate_every=10 checkpoint_every=10 beam=1; do
        set -- "$@" -o "system.$system.$option"
      done
    done
  fi
  "$recombine" run "$@"
}

build official -o control=true
build without-concatenation -o concatenation=false
build without-restrictions -o selection=false
run "$here/released.toml" official
run "$here/without-concatenation.toml" without-concatenation
run "$here/without-restrictions.toml" without-restrictions
if [ -n "$llama" ]; then
  for name in official without-concatenation without-restrictions; do
    "$recombine" run "$here/llama.toml" -o "system.llama.model=$llama" -o "benchmark=$out/$name" -o "run=$out/runs/llama-$name"
  done
fi

# Every right sentence by what it is made of, and the tables that are sums over them.
cells() {
  benchmark=$1; model=$2; folder=$3
  set --
  for scores in "$folder"/seed-*/scores/exact.test.jsonl "$folder"/seed-*/scores/exact.gen.jsonl; do
    seed=${scores#"$folder"/seed-}
    set -- "$@" "$model/${seed%%/*}/70000/beam=$scores"
  done
  "$python" "$here/cells.py" "$out/$benchmark" "$@"
}
{
  cells official released "$out/runs/official/transformer"
  cells official control "$out/runs/official/control"
  cells without-concatenation without-concatenation "$out/runs/without-concatenation/transformer"
} | awk 'NR == 1 || $0 !~ /^model,/' > "$out/cells.csv"
"$python" "$here/tables.py" "$out/cells.csv" > "$out/tables.md"
"$recombine" report "$out/runs/official" --out "$out/report"
echo "Open $out/report/report.html; the paper's tables are in $out/tables.md"
