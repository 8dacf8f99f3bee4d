#!/bin/sh
# English into each language of SGET: build a small benchmark, train, translate, score, report. The argument is the recombine command.
set -eu
recombine="${1:-recombine}"

for target in ja es de zh; do
  "$recombine" build sget-mini -o benchmark.target=$target --out out/sget-mini-$target
  "$recombine" run examples/languages/experiment.toml -o benchmark=out/sget-mini-$target -o run=runs/languages/$target
done
