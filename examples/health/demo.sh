#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Learns a private model from the bundled health data: plan, fit, verify, explain, evaluate.
# Usage: examples/health/demo.sh PROGRAM FOLDER     (results go to FOLDER)
set -euo pipefail
program=$(realpath "$1")
mkdir -p "$2"
folder=$2
rm -f "$folder/model.json"  # of an earlier demonstration
here=$(dirname "$0")

budget=(--epsilon 1 --delta 1e-6)

step() { printf '\n\033[1m%s\033[0m\n' "$1"; }
show() {
  printf '$ dperm'
  printf ' %s' "$@"
  printf '\n'
  "$program" "$@"
}
[ -t 1 ] || step() { printf '\n%s\n' "$1"; }

step "1. Plan: which method will do best? Public facts only, no record is read."
show plan --schema "$here/schema.toml" --rows 16190 --loss logistic "${budget[@]}"

step "2. Fit: a model whose guarantee covers every person-year."
show fit "$here/health_train.csv.gz" --schema "$here/schema.toml" --loss logistic "${budget[@]}" -o "$folder/model.json"

step "3. Verify: recompute the guarantee from the model file alone."
show verify "$folder/model.json"

step "4. Explain: how epsilon follows from the bounds."
show explain "$folder/model.json"

step "5. Evaluate on the test rows, which nobody may see either: private measures with error bars."
show evaluate "$folder/model.json" "$here/health_test.csv.gz" --epsilon 0.5
printf 'Each row is in one of the two files only, so no person-year is exposed to more than the larger of the two budgets.\n'

printf '\nThe model is in %s\n' "$folder/model.json"
