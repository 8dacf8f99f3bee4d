#!/bin/sh
# Build a small benchmark, train, translate, score, report. The argument is the recombine command.
set -eu
recombine="${1:-recombine}"

"$recombine" build sget-mini --out out/sget-mini
"$recombine" run examples/quickstart/experiment.toml

echo
echo "In distribution (test) and generalisation (gen), percent with 95% intervals:"
awk -F, '$4 == "exact" && ($2 == "all" || $2 == "group_name") {
  printf "  %-6s %-26s exact match %5.1f  [%.1f, %.1f]  n=%d\n", $1, $3, $6, $7, $8, $5
}' runs/quickstart/transformer/seed-1/scores.csv
echo
echo "Open runs/quickstart/report/report.html"
