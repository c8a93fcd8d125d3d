#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Learns a private model from the bundled health data, judges it on rows kept out, and writes its report.
# Usage: examples/health/demo.sh PROGRAM FOLDER     (results go to FOLDER)
set -euo pipefail
program=$(realpath "$1")
mkdir -p "$2"
folder=$2
rm -f "$folder/model.json" "$folder/report.html" "$folder/persons.json"  # of an earlier demonstration
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

step "1. Plan: how accurate will it be? Public facts only, no record is read."
show plan --schema "$here/schema.toml" --rows 16190 "${budget[@]}" --holdout 0.2

step "2. Fit: a model whose guarantee covers every person-year. A fifth of the rows judge it, within the same budget."
show fit "$here/health_train.csv.gz" --schema "$here/schema.toml" "${budget[@]}" --holdout 0.2 -o "$folder/model.json" \
  --report "$folder/report.html"

step "3. Verify: recompute the guarantee from the model file alone."
show verify "$folder/model.json"

step "4. Explain: how epsilon follows from the bounds."
show explain "$folder/model.json"

step "5. Persons: the same for all years of a person together (the first three count). Whole persons are kept out."
show fit "$here/health_train.csv.gz" --schema "$here/persons.toml" "${budget[@]}" --holdout 0.2 \
  -o "$folder/persons.json"

printf '\nThe report, to be opened in a browser: %s\n' "$(realpath "$folder/report.html")"
