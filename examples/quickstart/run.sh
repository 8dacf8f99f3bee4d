#!/bin/sh
# Build a small benchmark, train, translate, score, report. The argument is the recombine command.
set -eu
recombine="${1:-recombine}"

"$recombine" build sget-mini --out out/sget-mini
"$recombine" run examples/quickstart/experiment.toml
echo "Open runs/quickstart/report/report.html"
