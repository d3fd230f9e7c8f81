"""Emits the citations in a chunk of LiteLLM, which are annotations of its delta."""


def emit_citations(delta, emit):
    for annotation in getattr(delta, "annotations", None) or ():
        cited = (annotation or {}).get("url_citation") or {}
        known = {name: cited[name] for name in ("url", "title") if cited.get(name)}
        if "url" in known:
            emit({"type": "source", "sourceType": "url", "id": known["url"], **known})
