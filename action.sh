#!/usr/bin/env bash
# What action.yml runs: `sealegs test` with the action's inputs, which come as environment variables, so that no text of
# theirs is ever read as a command. It writes the verdict to the job's summary and outputs, and says it as an annotation.
set -uo pipefail

out="${RUNNER_TEMP:-.}/sealegs-test"
words=(test)
add() { if [ -n "$2" ]; then words+=("$1" "$2"); fi; }

if [ -n "${SEALEGS_INSTALL:-}" ]; then python -m pip install -q "$SEALEGS_INSTALL" || exit 2; fi
if [ -n "${SEALEGS_AGENT:-}" ]; then words+=("$SEALEGS_AGENT"); fi
add --plan "${SEALEGS_FAULT_PLAN:-}"
add --check "${SEALEGS_CHECK:-}"
add --inputs "${SEALEGS_INPUTS:-}"
add --runs "${SEALEGS_RUNS:-}"
add --fail-under "${SEALEGS_FAIL_UNDER:-}"
while IFS= read -r contract; do add --contract "$contract"; done <<< "${SEALEGS_CONTRACTS:-}"
words+=(--out "$out/runs" --junit "$out/junit.xml" --json "$out/rows.json")

mkdir -p "$out"
said="$(mktemp)"
sealegs "${words[@]}" | tee "$said"
code="${PIPESTATUS[0]}"
case "$code" in
  0) verdict=held ;;
  1) verdict=weakness ;;
  3) verdict=inconclusive ;;
  *) exit "$code" ;; # the message is on standard error
esac
line="$(tail -n 1 "$said")"
case "$verdict:$line" in
  held:HELD:* | weakness:WEAKNESS\ FOUND:* | inconclusive:INCONCLUSIVE:*) ;;
  *) echo "::error title=Sealegs test::it ended with $code and no verdict" ; exit 70 ;;
esac
echo "verdict=$verdict" >> "${GITHUB_OUTPUT:-/dev/null}"
echo "report=$out" >> "${GITHUB_OUTPUT:-/dev/null}"
printf '### Sealegs test\n\n%s\n\n```text\n%s\n```\n' "$line" "$(cat "$said")" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
case "$verdict" in
  held) echo "::notice title=Sealegs test::$line" ;;
  weakness) echo "::error title=Sealegs test::$line" ; exit 1 ;;
  inconclusive)
    echo "::warning title=Sealegs test::$line"
    if [ "${SEALEGS_INCONCLUSIVE:-pass}" = fail ]; then exit 1; fi ;;
esac
