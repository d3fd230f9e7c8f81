# An adapter that is started for each run: OpenResponses in, the parts of VS Code out.
#
# Parts go to stdout, a line each. The exit code is the ending: 0 completed, 1 failed, with the
# reason on stderr, 127 unsupported. When the host cancels, SIGTERM ends this script, and curl.
set -u

string='"(([^"\\]|\\.)*)"'  # of JSON, with what stands between its quotes
parts=0
calls=' '

# Puts the first string under a key of some JSON into $value, escaped as it is.
field() {
  [[ $2 =~ \"$1\"[[:space:]]*:[[:space:]]*$string ]] && value=${BASH_REMATCH[1]}
}

fail() {
  echo "$1" >&2
  exit 1
}

emit() {
  printf '%s\n' "$1"
  parts=$((parts + 1))
  # "cancel": {"after_parts": N}: to stop after so many parts is up to the adapter.
  if [[ $parts == "$after" ]]; then exit 0; fi
}

# Puts the JSON that a JSON string holds into $value. A \uXXXX means the same one level further in.
unescaped() {
  local text=${1//'\\'/$'\1'}
  text=${text//'\"'/'"'} text=${text//'\/'/'/'}
  text=${text//'\n'/ } text=${text//'\r'/ } text=${text//'\t'/ }
  value=${text//$'\1'/'\'}
}

call() {
  local item=$1 id name
  field status "$item" && [[ $value == incomplete ]] && return
  field call_id "$item" && id=$value
  [[ $calls == *" $id "* ]] && return
  calls+="$id "
  field name "$item" && name=$value
  field arguments "$item" && unescaped "$value"
  [[ $value =~ ^[[:space:]]*$ ]] && value='{}'
  [[ $value =~ ^[[:space:]]*\{.*\}[[:space:]]*$ ]] || fail "the arguments of $name are no object"
  emit "{\"type\":\"toolCall\",\"callId\":\"$id\",\"name\":\"$name\",\"input\":$value}"
}

convert() {
  field type "$1" || fail "an event that is none: $1"
  case $value in
    response.output_text.delta | response.refusal.delta)
      field delta "$1" && [[ -n $value ]] && emit "{\"type\":\"text\",\"value\":\"$value\"}"
      ;;
    response.output_item.done)
      [[ $1 =~ \"type\"[[:space:]]*:[[:space:]]*\"function_call\" ]] && call "${1#*'"item"'}"
      ;;
    response.completed | response.incomplete) exit 0 ;;
    response.failed | error)
      field message "$1" || value='no reason was given'
      reason=$value
      field code "$1" && reason+=" ($value)"
      fail "$reason"
      ;;
  esac
}

after=none
[[ $MOCK_REQUEST =~ \"after_parts\"[[:space:]]*:[[:space:]]*([0-9]+) ]] && after=${BASH_REMATCH[1]}
[[ $after == 0 ]] && exit 0
field dialect "$MOCK_REQUEST" && [[ $value == openresponses ]] || exit 127
field api_key "$MOCK_REQUEST" && key=$value
field model "$MOCK_REQUEST" && model=$value
messages=${MOCK_REQUEST#*'"messages": '} messages=${messages%%', "tools": '*}

# The status comes last, behind the stream.
exec 3< <(exec curl --silent --no-buffer --write-out '\nHTTP %{http_code}\n' \
  --header 'Content-Type: application/json' --header "Authorization: Bearer $key" \
  --data-binary @- "$MOCK_BASE_URL/responses" \
  <<< "{\"model\": \"$model\", \"input\": $messages, \"stream\": true}")
curl=$!
trap 'kill $curl 2> /dev/null' EXIT

while IFS= read -r line <&3; do
  line=${line%$'\r'} status=${line#HTTP }
  [[ $line == data:* && ! $line =~ ^data:\ *\[DONE\]$ ]] && convert "${line#data:}"
done
fail "the stream ended before the response did (HTTP $status)"
