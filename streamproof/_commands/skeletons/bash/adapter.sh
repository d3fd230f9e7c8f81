# Reads OpenResponses and emits parts of VS Code: put your own program in place of this one.
#
# It is started for each run. `drive.sh` implements the protocol, and
# `adapter.yaml` says what this adapter supports.
source "$(dirname "${BASH_SOURCE[0]}")/drive.sh"

calls=' '

# Emits the parts of an event; the script ends once the response has ended.
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

# Each call is emitted once, when it is complete; an incomplete one is not emitted.
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
