# Notes the beginning and the end of a call, in one write each.
printf 'begin\t%s\t%s\t%s\n' "$1" "$IDEMPOTENCY_KEY" "$2" >>"calls"
if [ -e "slow" ]; then sleep "$(cat "slow")"; fi
printf 'end\t%s\t%s\t%s\n' "$1" "$IDEMPOTENCY_KEY" "$2" >>"calls"
printf 'noted %s' "$2"
