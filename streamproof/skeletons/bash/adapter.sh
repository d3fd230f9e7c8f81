# OpenResponses in, the parts of VS Code out: put your own program in place of this one.
#
# It is started for each run. `drive.sh` beside it has what the protocol asks for, and
# `adapter.yaml` says what is spoken here.
source "$(dirname "${BASH_SOURCE[0]}")/drive.sh"

calls=' '

# Emits what an event sets free; the script ends once the response has.
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

# A call leaves once, whole; one that was cut off does not leave.
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

speaks openresponses
field model "$MOCK_REQUEST" && model=$value
messages=${MOCK_REQUEST#*'"messages": '} messages=${messages%%', "tools": '*}
events /responses "{\"model\": \"$model\", \"input\": $messages, \"stream\": true}" convert
