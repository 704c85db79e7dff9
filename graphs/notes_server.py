#!/usr/bin/env python3
"""A small MCP server for the documents: the text files of one folder. Usage: notes_server.py FOLDER"""
import json
import pathlib
import sys

FOLDER = pathlib.Path(sys.argv[1])
TEXT = {"type": "string"}
TOOLS = [
    {
        "name": "list_notes",
        "description": "Lists the notes.",
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "read_note",
        "description": "Reads a note.",
        "inputSchema": {"type": "object", "properties": {"name": TEXT}, "required": ["name"]},
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "add_note",
        "description": "Adds a note, or replaces it.",
        "inputSchema": {"type": "object", "properties": {"name": TEXT, "text": TEXT}, "required": ["name", "text"]},
        "annotations": {"idempotentHint": True},
    },
]


def call(name, args):
    path = FOLDER / pathlib.Path(args.get("name", "")).name
    if name == "list_notes":
        return "\n".join(sorted(file.name for file in FOLDER.iterdir()))
    if name == "read_note":
        return path.read_text()
    path.write_text(args["text"])
    return "written"


def answer(method, params):
    if method == "initialize":
        server = {"name": "notes", "version": "1.0.0"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        try:
            return {"content": [{"type": "text", "text": call(params["name"], params.get("arguments", {}))}]}
        except OSError as error:
            return {"content": [{"type": "text", "text": error.strerror}], "isError": True}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answer(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
