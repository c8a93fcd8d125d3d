#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing and nothing else: the Debian packages of packages.txt and .venv with requirements.txt; for
# tests of pages requirements_test.txt too, and where Java is requirements_spark.txt for tests of Spark, without which
# everything else works.
# What cannot be installed is named in one line together with the target that needs it; the rest goes on.
# Usage: tools/setup.sh [--retry]     (--retry: try again what failed last time)
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=.venv/.requirements-installed   # holds the requirements it was installed from
failed=.venv/.packages-failed         # packages that could not be had; not tried again without --retry
requirements=tools/requirements.txt
for_tests=tools/requirements_test.txt
no_tests=.venv/.requirements-test-failed  # those that could not be had; likewise
for_spark=tools/requirements_spark.txt
no_spark=.venv/.requirements-spark-failed
[ "${1:-}" = --retry ] && rm -f "$failed" "$no_tests" "$no_spark"

missing_packages() {
  local package
  sed -e 's/#.*//' tools/packages.txt | while read -r package _; do
    [ -n "$package" ] || continue
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# as_root COMMAND...: sudo asks for a password only where someone can type it.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif ! command -v sudo >/dev/null; then
    return 1
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

install_packages() {
  local log=$1
  shift
  export DEBIAN_FRONTEND=noninteractive
  as_root true >"$log" 2>&1 || { echo "this needs root, or sudo" >"$log"; return 0; }
  as_root apt-get update -q >"$log" 2>&1 || true  # the lists at hand may still do
  as_root apt-get install -q -y --no-install-recommends "$@" >>"$log" 2>&1 && return 0
  # One package that cannot be had must not cost the others.
  local package
  for package in "$@"; do
    as_root apt-get install -q -y --no-install-recommends "$package" >>"$log" 2>&1 || true
  done
}

# describe PACKAGE...: "clang-format-19 (make lint), ..."
describe() {
  local package target text=
  for package in "$@"; do
    target=$(awk -v p="$package" '$1 == p { print $2 }' tools/packages.txt)
    [ "$target" = speed ] && target="only speed" || target="make $target"
    text+="${text:+, }$package ($target)"
  done
  echo "$text"
}

could_not=()
reason=
fatal=

if command -v dpkg-query >/dev/null; then
  missing=($(missing_packages))
  known=$(cat "$failed" 2>/dev/null || true)
  if [ ${#missing[@]} -gt 0 ] && [ "${missing[*]}" != "$known" ]; then
    echo "setup: installing ${missing[*]}"
    log=$(mktemp)
    install_packages "$log" "${missing[@]}"
    missing=($(missing_packages))
    reason=$(grep -m1 -E '^(E|Err):' "$log" || tail -n 1 "$log")
    rm -f "$log"
  fi
  if [ ${#missing[@]} -gt 0 ]; then
    could_not+=("$(describe "${missing[@]}")${reason:+; $reason}")
  fi
else
  missing=()
  echo "setup: no dpkg here; the libraries of tools/packages.txt must be installed by other means"
fi

# A virtual environment that was moved or whose Python is gone does not run.
if ! .venv/bin/python -c '' 2>/dev/null; then
  [ -e .venv ] && echo "setup: .venv does not run; making it anew" && rm -rf .venv
  made=
  for python in python3 /usr/bin/python3; do
    if "$python" -m venv .venv >/dev/null 2>&1; then
      made=yes
      break
    fi
    rm -rf .venv
  done
  if [ -z "$made" ]; then
    could_not+=(".venv (make build; python3 -m venv fails)")
    fatal=yes
  fi
fi

if [ -z "$fatal" ] && ! cmp -s "$requirements" "$stamp"; then
  if .venv/bin/python tools/check_requirements.py "$requirements"; then
    cp "$requirements" "$stamp"
  else
    echo "setup: installing $(sed -e 's/#.*//' "$requirements" | xargs)"
    if .venv/bin/python -m pip install -q --disable-pip-version-check --only-binary :all: -r "$requirements"; then
      cp "$requirements" "$stamp"
    else
      could_not+=("$(sed -e 's/#.*//' "$requirements" | xargs) (make build)")
      fatal=yes
    fi
  fi
fi

if [ -z "$fatal" ] && ! .venv/bin/python tools/check_requirements.py "$for_tests" && ! cmp -s "$for_tests" "$no_tests"; then
  echo "setup: installing $(sed -e 's/#.*//' "$for_tests" | xargs)"
  if ! .venv/bin/python -m pip install -q --disable-pip-version-check --only-binary :all: -r "$for_tests"; then
    cp "$for_tests" "$no_tests"
    could_not+=("$(sed -e 's/#.*//' "$for_tests" | xargs) (make test)")
  fi
fi

# A source package of Python alone, half a gigabyte with its jars: only where it can run.
if [ -z "$fatal" ] && command -v java >/dev/null && ! .venv/bin/python tools/check_requirements.py "$for_spark" &&
  ! cmp -s "$for_spark" "$no_spark"; then
  echo "setup: installing $(sed -e 's/#.*//' "$for_spark" | xargs)"
  if ! .venv/bin/python -m pip install -q --disable-pip-version-check -r "$for_spark"; then
    cp "$for_spark" "$no_spark"
    could_not+=("$(sed -e 's/#.*//' "$for_spark" | xargs) (make demo-spark)")
  fi
fi

[ -d .venv ] && { [ ${#missing[@]} -gt 0 ] && echo "${missing[*]}" >"$failed" || rm -f "$failed"; }
if [ ${#could_not[@]} -gt 0 ]; then
  (IFS=,; echo "setup: could not install ${could_not[*]}" >&2)
fi
[ -z "$fatal" ]
