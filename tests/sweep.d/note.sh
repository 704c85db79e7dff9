# Notes its call in the file `calls`, for good. The file `strike` may name a call at which the driver is killed: `never`
# if the call is not to happen then, `late` if it happens behind the driver's back. The file `padding` makes answers long.
if [ -e strike ]; then
  read -r when text <strike
  if [ "$text" = "$1" ]; then
    rm strike
    kill -9 "$PPID"
    [ "$when" = late ] || exit 1
  fi
fi
printf '%s\t%s\n' "$IDEMPOTENCY_KEY" "$1" >>calls
sync -d calls
printf 'noted %s' "$1"
if [ -e padding ]; then cat padding; fi
