# The protocol for a program that is started for each run, JSON by regular expressions, and a
# request with its server-sent events. It does not have to be read or changed.
#
# Parts go to stdout, a line each. The exit code is the ending: 0 completed, 1 failed, with the
# reason on stderr, 127 unsupported. When the host cancels, SIGTERM ends the script, and curl.
set -u

string='"(([^"\\]|\\.)*)"'  # a JSON string; the first group is its content
parts=0
after=none
[[ $MOCK_REQUEST =~ \"after_parts\"[[:space:]]*:[[:space:]]*([0-9]+) ]] && after=${BASH_REMATCH[1]}

# Ends the run if it is in another dialect, or if it is cancelled before it begins.
speaks() {
  [[ $after == 0 ]] && exit 0
  field dialect "$MOCK_REQUEST" && [[ $value == "$1" ]] || exit 127
}

# Puts the first string under a key in JSON text into $value, still escaped.
field() {
  [[ $2 =~ \"$1\"[[:space:]]*:[[:space:]]*$string ]] && value=${BASH_REMATCH[1]}
}

# Puts the JSON text in a JSON string into $value. A \uXXXX is kept: it means the same there.
unescaped() {
  local text=${1//'\\'/$'\1'}
  text=${text//'\"'/'"'} text=${text//'\/'/'/'}
  text=${text//'\n'/ } text=${text//'\r'/ } text=${text//'\t'/ }
  value=${text//$'\1'/'\'}
}

fail() {
  echo "$1" >&2
  exit 1
}

emit() {
  printf '%s\n' "$1"
  parts=$((parts + 1))
  # "cancel": {"after_parts": N}: the adapter has to stop after so many parts.
  if [[ $parts == "$after" ]]; then exit 0; fi
}

# POSTs a body and calls a function with the data of each event. LF, CRLF or CR ends a line of the
# stream; one that CR alone ends is read only when an LF comes, or the end of the stream.
events() {
  local key lines data='' bom=$'\xef\xbb\xbf'
  field api_key "$MOCK_REQUEST" && key=$value
  # curl writes the status last, after the stream, so that it ends no line of the stream.
  exec 3< <(exec curl --silent --no-buffer --write-out ':HTTP %{http_code}\n' \
    --header 'Content-Type: application/json' --header "Authorization: Bearer $key" \
    --data-binary @- "$MOCK_BASE_URL$1" <<< "$2")
  curl=$!
  trap 'kill $curl 2> /dev/null' EXIT
  while IFS= read -r lines <&3; do
    [[ $lines == "$bom"* ]] && lines=${lines#"$bom"}
    bom=''
    [[ $lines == *$'\r' ]] && lines=${lines%?}
    while [[ $lines == *$'\r'* ]]; do
      line "${lines%%$'\r'*}" "$3"
      lines=${lines#*$'\r'}
    done
    line "$lines" "$3"
  done
  fail "the stream ended before the response did (HTTP ${lines##*:HTTP })"
}

# Adds a line to the $data of its event; a blank line ends the event (WHATWG HTML § 9.2.6).
line() {
  case $1 in
    'data: '*) data+=$'\n'${1#data: } ;;
    data:*) data+=$'\n'${1#data:} ;;
    data) data+=$'\n' ;;
    '')
      [[ $data =~ ^[[:space:]]*(\[DONE\][[:space:]]*)?$ ]] || "$2" "${data#?}"
      data=''
      ;;
  esac
}
