#!/bin/sh
# Build a small benchmark, train, translate, score, report. The argument is the recombine command.
set -eu
recombine="${1:-recombine}"

# The authors' edition: recombining cannot do the default Japanese yet, whose clauses have other particles.
"$recombine" build sget-mini -o edition=official --out out/sget-mini
"$recombine" run examples/quickstart/experiment.toml
echo "Open runs/quickstart/report/report.html"
