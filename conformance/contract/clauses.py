"""The links of the sources that rules and scenarios name.

``ANCHORS`` has the clauses that a paragraph of ``docs/semantics.md`` restates, ``URLS`` those that
are published. Issues, RFCs and files on GitHub need no row: ``sources`` knows them by their form.
"""

from __future__ import annotations

from collections.abc import Mapping

_PROVIDER_SEMANTICS = {
    "1.1": "stream-model",
    "1.2": "kinds-of-part",
    "2.2": "text-parts",
    "2.4": "thinking-parts",
    "2.6": "markdown",
    "3.1": "call-parts",
    "3.2": "call-atomicity",
    "3.3": "call-ids-answered",
    "3.4": "call-timing",
    "3.5": "parallel-calls",
    "4.1": "data-parts",
    "5.1": "completion",
    "5.2": "cancellation",
    "5.3": "errors",
    "6.1": "interleaving",
    "6.2": "text-continuity",
    "6.3": "text-and-calls",
    "7": "host-duties",
    "8.2": "recommended",
    "9.5": "reasoning-events",
    "Appendix A": "event-mapping",
}
_STATE_MACHINE = {
    "Error Events": "error-events",
    "Function Call Flow": "call-flow",
    "Gap 1": "missing-announcement",
    "Gap 2": "citations",
    "OpenResponses SSE Event Types": "event-types",
    "Parallel Tool Calls": "parallel-calls-on-the-wire",
    "Reasoning Events": "reasoning-flow",
    "Reasoning Flow": "reasoning-flow",
    "Refusal Events": "refusals",
    "Response Lifecycle Events": "response-lifecycle",
    "Text + Tool Call Interleaved": "interleaved-on-the-wire",
    "Text Content Flow": "text-flow",
}
_STREAM_MAPPING = {
    "AI SDK toUIMessageStream() Chunks": "lifecycle-parts",
    "Accurate Token Tracking Design": "token-tracking",
    "Accurate Token Tracking Design (Limitations)": "token-tracking",
    "Anthropic Context Management Support": "provider-options",
    "BLOCKER: Reasoning Handler Type Signature Mismatch": "reasoning-fields",
    "BLOCKER: Stream Error Chunk Schema Mismatch": "error-fields",
    "BLOCKER: System Role Handling": "system-role",
    "BLOCKER: Token Limit Miscommunication": "token-limits",
    "BLOCKER: Tool Result Message Format (FIXED)": "tool-results",
    "Context Length Handling Architecture": "context-length",
    "Core Lifecycle Events": "lifecycle-parts",
    "Correction Factor Update": "count-correction",
    "Fix Priority": "token-limits",
    "How VS Code Expects Context Length to Work": "context-length",
    "Hybrid Token Estimation": "token-tracking",
    "IMPORTANT: Tool Call Streaming": "call-parts-of-the-sdk",
    "IMPORTANT: Tool Schema Token Estimation": "count-tools",
    "Other Events": "source-parts",
    "Per-Message Hash-Based Caching": "token-cache",
    "Priority 2: Source/Citation Support": "source-parts",
    "Priority 3: File/Image Support": "url-files",
    "Priority 4: Tool Input Streaming": "call-parts-of-the-sdk",
    "Priority 5": "custom-data",
    "Priority 5: Custom Data Passthrough": "custom-data",
    "Silently Ignored Chunk Types": "silent-events",
    "Stream Chunk Schema Mismatch": "error-fields",
    "System Role Handling": "system-role",
    "Task 1: Remove Hard-Fail Preflight Check": "context-length",
    "Text/Reasoning Events (Schema Warning)": "reasoning-fields",
    "The Whitespace Bug": "whitespace-bug",
    "The Whitespace Bug (Fixed)": "whitespace-bug",
    "Token Limit Communication": "token-limits",
    "Token Usage": "usage-parts",
    "Tool Events": "call-parts-of-the-sdk",
    "Tool Result Message Format": "tool-results",
    "Tool Result Messages": "tool-results",
    "fullStream Chunk Types": "lifecycle-parts",
    "fullStream Chunk Types (Complete Reference)": "lifecycle-parts",
}
_ANNEX = {
    "Example Trace": "annex-trace",
    "Notes & Edge Cases": "annex-edge-cases",
    "Sanitized SSE chunk trace": "annex-chunks",
}
_WITHOUT_A_DOCUMENT = {
    "observed": "observed",
    "openai": "published-sdks",
    "streamproof": "own-requirement",
    "drive/1": "driver-protocol",
    "scenario": "of-the-scenario",
}
_BUG_CLASSES = (
    "begin-signal-treated-as-call",
    "citations-lost",
    "content-filter-mid-stream",
    "error-in-band-200",
    "error-shape-variants",
    "file-data-part",
    "finish-repeated-or-early",
    "finish-stop-with-tools",
    "finish-tools-without-calls",
    "hosted-tool-finish-loop",
    "http-error-status",
    "image-generation-items",
    "mcp-approval",
    "premature-close-as-success",
    "reasoning-block-lifecycle",
    "reasoning-carrier-dropped",
    "reasoning-interleaved",
    "responses-incomplete-as-success",
    "retry-duplicates-output",
    "sse-malformed-json-event",
    "text-markdown-html-opaque",
    "text-whitespace-pollution",
    "tool-args-bignum",
    "tool-args-empty",
    "tool-args-escape-split",
    "tool-args-interleaved",
    "tool-args-invalid-json",
    "tool-dup-emission",
    "tool-ids-duplicate",
    "turn-asked",
    "turn-roles",
    "turn-tool-name-lost",
    "unknown-event-crash",
    "usage-lost",
    "usage-summed",
    "vercel-error-part-swallowed",
    "vercel-field-drift",
    "vercel-id-reuse",
    "vercel-multi-step-finish",
    "vercel-provider-executed",
    "vercel-text-block-framing",
    "vercel-tool-error-ignored",
    "vercel-tool-stream-without-call",
)


def _of(document: str, clauses: Mapping[str, str], base: str = "") -> dict[str, str]:
    return {f"{document} § {clause}": base + place for clause, place in clauses.items()}


ANCHORS: Mapping[str, str] = {
    **_of("lm-stream-semantics", _PROVIDER_SEMANTICS),
    **_of("rfc-00022", _STATE_MACHINE),
    **_of("stream-mapping", _STREAM_MAPPING),
    **_of("copilot-annex", _ANNEX),
    **_WITHOUT_A_DOCUMENT,
    **{name: name for name in _BUG_CLASSES},
}
"""By clause, the anchor of the paragraph of ``docs/semantics.md`` that states it."""

_SPECIFICATION = {
    "Errors": "errors",
    "Extending Items": "extending-items",
    "Extending Streaming Events": "extending-streaming-events",
    "Items": "items",
    "Items are state machines": "items-are-state-machines",
    "Items are streamable": "items-are-streamable",
    "Reasoning items": "reasoning",
    "Streaming": "streaming",
    "Streaming Errors": "errors",
    "Streaming HTTP Responses": "http-responses",
    "streaming diagram": "streaming",
}
_SCHEMA = {
    "CreateResponseBody": "CreateResponseBody",
    "FunctionCall": "FunctionCall",
    "FunctionTool": "FunctionToolParam",
    "instructions": "CreateResponseBody/properties/instructions",
    "response.completed": "ResponseCompletedStreamingEvent",
    "response.content_part.done": "ResponseContentPartDoneStreamingEvent",
    "response.failed": "ResponseFailedStreamingEvent",
    "response.function_call_arguments.delta": "ResponseFunctionCallArgumentsDeltaStreamingEvent",
    "response.output_item.done": "ResponseOutputItemDoneStreamingEvent",
    "response.output_text.annotation.added": "ResponseOutputTextAnnotationAddedStreamingEvent",
    "response.output_text.delta": "ResponseOutputTextDeltaStreamingEvent",
    "response.reasoning.delta": "ResponseReasoningDeltaStreamingEvent",
    "response.refusal.delta": "ResponseRefusalDeltaStreamingEvent",
    "response.refusal.done": "ResponseRefusalDoneStreamingEvent",
    "schema": "ResponseResource",
    "schema (ReasoningBody)": "ReasoningBody",
    "schema (annotations)": "OutputTextContent/properties/annotations",
    "schema (delta, arguments)": "ResponseFunctionCallArgumentsDoneStreamingEvent",
    "schema (delta, text)": "ResponseOutputTextDoneStreamingEvent",
    "schema (error)": "ResponseResource/properties/error",
    "schema (function_call_arguments)": "ResponseFunctionCallArgumentsDoneStreamingEvent",
    "schema (incomplete_details)": "ResponseResource/properties/incomplete_details",
    "schema (item_id)": "ResponseOutputTextDeltaStreamingEvent/properties/item_id",
    "schema (obfuscation)": "ResponseOutputTextDeltaStreamingEvent/properties/obfuscation",
    "schema (output)": "ResponseResource/properties/output",
    "schema (output_index)": "ResponseOutputItemAddedStreamingEvent/properties/output_index",
    "schema (part)": "ResponseContentPartAddedStreamingEvent/properties/part",
    "schema (status)": "ResponseResource/properties/status",
    "schema (summary_index)": "ResponseReasoningSummaryPartAddedStreamingEvent/properties"
    "/summary_index",
}
_OPENAI = {
    "Chat completion chunk object": "api-reference/chat-streaming/streaming",
    "Chat completion messages": "api-reference/chat/create#chat-create-messages",
    "Chat completion object": "api-reference/chat/object",
    "Chat completion request": "api-reference/chat/create",
    "Error codes": "guides/error-codes",
    "Function calling": "guides/function-calling",
    "MCP approvals": "guides/tools-connectors-mcp#approvals",
    "Responses input items": "api-reference/responses/create#responses-create-input",
    "Responses tools": "api-reference/responses/create#responses-create-tools",
    "Streaming": "guides/streaming-responses",
    "max_completion_tokens": "api-reference/chat/create#chat-create-max_completion_tokens",
    "stream": "api-reference/chat/create#chat-create-stream",
    "stream_options.include_usage": "api-reference/chat/create#chat-create-stream_options",
}
_OPENAI_TYPES = {
    "ResponseApplyPatchToolCall": "response_apply_patch_tool_call",
    "ResponseAudioDeltaEvent": "response_audio_delta_event",
    "ResponseCodeInterpreterToolCall": "response_code_interpreter_tool_call",
    "ResponseCompactionItem": "response_compaction_item",
    "ResponseComputerToolCall": "response_computer_tool_call",
    "ResponseCreateParams": "response_create_params",
    "ResponseCustomToolCall": "response_custom_tool_call",
    "ResponseFileSearchToolCall": "response_file_search_tool_call",
    "ResponseFunctionShellToolCall": "response_function_shell_tool_call",
    "ResponseFunctionWebSearch": "response_function_web_search",
    "ResponseImageGenCallPartialImageEvent": "response_image_gen_call_partial_image_event",
    "ResponseInputItem": "response_input_item",
    "ResponseOutputItem": "response_output_item",
    "ResponseOutputText.annotations": "response_output_text",
    "ResponseOutputTextAnnotationAddedEvent": "response_output_text_annotation_added_event",
    "ResponseReasoningItem": "response_reasoning_item",
    "ResponseRefusalDeltaEvent": "response_refusal_delta_event",
    "ResponseToolSearchCall": "response_tool_search_call",
    "Tool": "tool",
}
_UI = {
    "Stream Protocols": "stream-protocol",
    "Stream Protocols (abort)": "stream-protocol",
    "Stream Protocols (error)": "stream-protocol",
    "Streaming Custom Data": "streaming-data",
    "Transport": "transport",
}
_SDK = {
    "FinishReason": "reference/ai-sdk-core/stream-text",
    "FinishReason (ai 5)": "reference/ai-sdk-core/stream-text",
    "FinishReason (ai 7)": "reference/ai-sdk-core/stream-text",
    "GeneratedFile": "reference/ai-sdk-core/stream-text",
    "Invalid tool calls": "ai-sdk-core/tools-and-tool-calling#handling-errors",
    "Migration guides": "migration-guides",
    "Preliminary tool results": "ai-sdk-core/tools-and-tool-calling#preliminary-tool-results",
    "Provider-executed tools": "foundations/tools",
    "TextStreamPart": "reference/ai-sdk-core/stream-text",
    "TextStreamPart (abort)": "reference/ai-sdk-core/stream-text",
    "TextStreamPart (ai 4)": "reference/ai-sdk-core/stream-text",
    "TextStreamPart (ai 5)": "reference/ai-sdk-core/stream-text",
    "TextStreamPart (ai 6)": "reference/ai-sdk-core/stream-text",
    "TextStreamPart (ai 7)": "reference/ai-sdk-core/stream-text",
    "Tool execution approval": "ai-sdk-core/tools-and-tool-calling#tool-execution-approval",
    "includeRawChunks": "reference/ai-sdk-core/stream-text",
    "streamText (maxOutputTokens)": "reference/ai-sdk-core/stream-text",
    "streamText (onError)": "reference/ai-sdk-core/stream-text",
}
_SDK_TYPES = {
    "LanguageModelV3StreamPart": "language-model/v3/language-model-v3-stream-part.ts",
    "LanguageModelV3StreamPart (error)": "language-model/v3/language-model-v3-stream-part.ts",
    "LanguageModelV3ToolCall": "language-model/v3/language-model-v3-tool-call.ts",
    "LanguageModelV3ToolResult": "language-model/v3/language-model-v3-tool-result.ts",
    "LanguageModelV4File": "language-model/v4/language-model-v4-file.ts",
    "ToolResultOutput": "language-model/v3/language-model-v3-prompt.ts",
}
_PROVIDER_TYPES = {
    "LanguageModelV4CallOptions": "v4/language-model-v4-call-options.ts",
    "LanguageModelV4FinishReason": "v4/language-model-v4-finish-reason.ts",
    "LanguageModelV4Prompt": "v4/language-model-v4-prompt.ts",
    "LanguageModelV4ResponseMetadata": "v4/language-model-v4-response-metadata.ts",
    "LanguageModelV4StreamPart": "v4/language-model-v4-stream-part.ts",
    "LanguageModelV4ToolApprovalRequest": "v4/language-model-v4-tool-approval-request.ts",
    "LanguageModelV4ToolCall": "v4/language-model-v4-tool-call.ts",
    "LanguageModelV4ToolResult": "v4/language-model-v4-tool-result.ts",
}
_CORE = {
    "readUIMessageStream": "ui-message-stream/read-ui-message-stream.ts",
    "streamText": "generate-text/stream-text.ts",
}
_GATEWAY = {
    "Provider options": "#provider-options",
    "Streaming": "#streaming",
}
_COPILOT_CHAT = "https://github.com/microsoft/vscode-copilot-chat/blob/HEAD/src/platform/networking"
_SDK_SOURCES = "https://github.com/vercel/ai/tree/HEAD/packages"

URLS: Mapping[str, str] = {
    **_of("OpenResponses", _SPECIFICATION, "https://www.openresponses.org/specification#"),
    **_of(
        "OpenResponses",
        _SCHEMA,
        "https://www.openresponses.org/openapi/openapi.json#/components/schemas/",
    ),
    "openai § Stream": "https://github.com/openai/openai-python/blob/HEAD/src/openai/_streaming.py",
    **_of("OpenAI", _OPENAI, "https://platform.openai.com/docs/"),
    **{
        f"openai: {name}": "https://github.com/openai/openai-python/blob/HEAD/src/openai/types"
        f"/responses/{module}.py"
        for name, module in _OPENAI_TYPES.items()
    },
    **_of("AI SDK", _SDK, "https://ai-sdk.dev/docs/"),
    **_of("AI SDK", _SDK_TYPES, "https://github.com/vercel/ai/blob/HEAD/packages/provider/src/"),
    **_of("AI SDK UI", _UI, "https://ai-sdk.dev/docs/ai-sdk-ui/"),
    "AI SDK Core § streamText": "https://ai-sdk.dev/docs/reference/ai-sdk-core/stream-text",
    **_of("AI Gateway", _GATEWAY, "https://ai-sdk.dev/providers/ai-sdk-providers/ai-gateway"),
    **_of("@ai-sdk/provider", _PROVIDER_TYPES, f"{_SDK_SOURCES}/provider/src/language-model/"),
    **_of("ai", _CORE, f"{_SDK_SOURCES}/ai/src/"),
    "ai": f"{_SDK_SOURCES}/ai/src",
    "@ai-sdk/provider": f"{_SDK_SOURCES}/provider/src/language-model",
    "@ai-sdk/gateway": f"{_SDK_SOURCES}/gateway/src",
    "@ai-sdk/gateway § GatewayErrorResponse": f"{_SDK_SOURCES}/gateway/src/errors"
    "/create-gateway-error.ts",
    "WHATWG HTML § 9.2.6": "https://html.spec.whatwg.org/multipage/server-sent-events.html"
    "#event-stream-interpretation",
    "microsoft/vscode-copilot-chat copilot_errors": f"{_COPILOT_CHAT}/node/stream.ts",
    "microsoft/vscode-copilot-chat copilot_references": f"{_COPILOT_CHAT}/node/stream.ts",
    "microsoft/vscode-copilot-chat off_topic": f"{_COPILOT_CHAT}/node/chatStream.ts",
    "DeepSeek API reference, include_usage, as moona3k/macparakeet#1087 quotes it": "https:"
    "//api-docs.deepseek.com/api/create-chat-completion",
    "ds-api 0.10.7 (crates.io), a client of DeepSeek: FinishReason": "https://docs.rs/ds-api"
    "/0.10.7",
}
"""By clause, its address on the web."""
