#!/bin/sh
# Build a small benchmark, train, translate, score, report. The argument is the recombine command.
set -eu
recombine="${1:-recombine}"

"$recombine" build sget-mini --out out/sget-mini
"$recombine" run examples/quickstart/experiment.toml

for system in transformer recombined; do
  echo
  case $system in
    transformer) echo "Trained on the training pairs; in distribution (test) and generalisation (gen), percent with 95% intervals:" ;;
    *) echo "Trained on pairs recombined from them, too:" ;;
  esac
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
$at["metric"] == "exact" && ($at["tag"] == "all" || $at["tag"] == "group_name") {
  printf "  %-6s %-26s exact match %5.1f  [%.1f, %.1f]  n=%d of %d, %d failed\n",
    $at["split"], $at["value"], $at["score"], $at["ci_low"], $at["ci_high"], $at["n"], $at["of"], $at["failed"]
}' "runs/quickstart/$system/seed-1/scores.csv"
done
echo
echo "Open runs/quickstart/report/report.html"
