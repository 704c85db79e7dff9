# Notes its call in the file `calls`, for good. The file `strike` may name a call at which the driver is killed: `never`
# if the call is not to happen then, `late` if it happened and the driver does not know. The file `padding` makes answers long.
struck=
if [ -e strike ]; then
  read -r when text <strike
  if [ "$text" = "$1" ]; then
    rm strike
    struck=$when
  fi
fi
# The driver is the parent of the guard, which ends this script as soon as the driver is gone.
driver=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$PPID/status")
if [ "$struck" = never ]; then
  kill -9 "$driver"
  exit 1
fi
printf '%s\t%s\n' "$IDEMPOTENCY_KEY" "$1" >>calls
sync -d calls
[ "$struck" != late ] || kill -9 "$driver"
printf 'noted %s' "$1"
if [ -e padding ]; then cat padding; fi
