"""The parts of the vocabulary `stream` for what an answer cites."""


def document(file_id, container_id=None, filename=None):
    """The part for the citation of a file, which has ids in place of an address."""
    ids = {"fileId": file_id, "containerId": container_id}
    return {
        "type": "source",
        "sourceType": "document",
        "id": file_id,
        "mediaType": "application/octet-stream",
        "title": filename or file_id,
        **({"filename": filename} if filename else {}),
        "providerMetadata": {"openai": {name: id_ for name, id_ in ids.items() if id_}},
    }
