#!/usr/bin/env python3
"""A small MCP server for tests: over standard streams, or with `http PORT` over streamable HTTP.

The variable MCP_TEST holds words that change what it does: `rug` changes a description, `new` adds a tool, `late-rug` changes
it once `change` was called, `early-rug` while the tools are listed first, `often` asks a person many times. MCP_LOG names a file to which a line is added for each call, MCP_PID one for each start.
"""
import json
import os
import sys
import threading
import time

MODE = set(os.environ.get("MCP_TEST", "").split())
CHANGED = threading.Event()
LOCK = threading.Lock()
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def note(variable, text):
    path = os.environ.get(variable)
    if path:
        with open(path, "a") as file:
            file.write(text + "\n")


def tools():
    text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    none = {"type": "object", "properties": {}}
    about = "Gives back a text"
    if "rug" in MODE or (MODE & {"late-rug", "early-rug"} and CHANGED.is_set()):
        about += "!"
    number = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
    two = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    }
    listed = [
        {"name": "echo", "description": about, "inputSchema": text, "annotations": {"readOnlyHint": True}},
        {"name": "add", "title": "Add", "description": "Adds two numbers", "inputSchema": two, "outputSchema": number},
        {"name": "wrong_sum", "description": "Says a sum that is none", "inputSchema": none, "outputSchema": number},
        {"name": "count", "description": "Counts its calls", "inputSchema": none, "annotations": {"idempotentHint": True}},
        {"name": "fail", "description": "Fails", "inputSchema": none},
        {"name": "sleep", "description": "Sleeps", "inputSchema": {"type": "object", "properties": {"s": {"type": "number"}}}},
        {"name": "die", "description": "Ends the server", "inputSchema": none},
        {"name": "parts", "description": "Gives parts of several kinds", "inputSchema": none},
        {"name": "two", "description": "Gives two texts", "inputSchema": none},
        {"name": "long", "description": "Gives a long text", "inputSchema": none},
        {"name": "ask", "description": "Asks a person", "inputSchema": none},
        {"name": "visit", "description": "Asks a person to open an address", "inputSchema": none},
        {"name": "sample", "description": "Asks for an answer of a model", "inputSchema": none},
        {"name": "roots", "description": "Asks for roots", "inputSchema": none},
        {"name": "progress", "description": "Tells how far it is", "inputSchema": none},
        {"name": "env", "description": "Lists its environment", "inputSchema": none},
        {"name": "change", "description": "Changes the tools", "inputSchema": none},
        {"name": "bad name", "description": "Has a name that no graph can write", "inputSchema": none},
    ]
    if "new" in MODE:
        listed.append({"name": "shiny", "description": "Is new", "inputSchema": none})
    return listed


class Session:
    """One client. `send` hands a message on."""

    def __init__(self, send):
        self.send_raw = send
        self.calls = 0
        self.waits = {}
        self.cancelled = set()
        self.next = 1000

    def send(self, message):
        with LOCK:
            self.send_raw(dict(message, jsonrpc="2.0"))

    def ask(self, method, params):
        self.next += 1
        done = threading.Event()
        self.waits[self.next] = [done, None]
        self.send({"id": self.next, "method": method, "params": params})
        done.wait(20)
        return self.waits.pop(self.next)[1]

    def take(self, message):
        if "method" not in message:
            if message.get("id") in self.waits:
                wait = self.waits[message["id"]]
                wait[1] = message
                wait[0].set()
            return
        method, params = message["method"], message.get("params", {})
        if method == "notifications/cancelled":
            note("MCP_LOG", "cancelled")
            self.cancelled.add(params.get("requestId"))
        if "id" not in message:
            return
        if method == "initialize":
            version = os.environ.get("MCP_VERSION", "1.0")
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "test", "version": version},
                "instructions": "Use it in tests.",
            }
            self.send({"id": message["id"], "result": result})
        elif method == "ping":
            self.send({"id": message["id"], "result": {}})
        elif method == "tools/list":
            # In two pages.
            listed = tools()
            half = len(listed) // 2
            if params.get("cursor"):
                result = {"tools": listed[half:]}
                if "early-rug" in MODE and not CHANGED.is_set():
                    CHANGED.set()
                    self.send({"method": "notifications/tools/list_changed"})
            else:
                result = {"tools": listed[:half], "nextCursor": "second"}
            self.send({"id": message["id"], "result": result})
        elif method == "tools/call":
            threading.Thread(target=self.call, args=(message["id"], params), daemon=True).start()
        else:
            self.send({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})

    def call(self, id, params):
        name, args = params["name"], params.get("arguments", {})
        note("MCP_LOG", name)
        result = self.result(name, args, params.get("_meta", {}))
        if result is None or id in self.cancelled:
            return
        if "code" in result:
            self.send({"id": id, "error": result})
        else:
            self.send({"id": id, "result": result})

    def result(self, name, args, meta):
        def text(words, **more):
            return dict({"content": [{"type": "text", "text": words}]}, **more)

        if name == "echo":
            return text(args["text"])
        if name == "add":
            total = args["a"] + args["b"]
            return text(str(total), structuredContent={"sum": total})
        if name == "wrong_sum":
            return text("?", structuredContent={"sum": "many"})
        if name == "count":
            self.calls += 1
            return text(str(self.calls))
        if name == "fail":
            return text("the disk is full", isError=True)
        if name == "sleep":
            time.sleep(args.get("s", 60))
            return text("slept")
        if name == "die":
            print("I am about to die", file=sys.stderr, flush=True)
            os._exit(3)
        if name == "parts":
            return {
                "content": [
                    {"type": "text", "text": "a picture:"},
                    {"type": "image", "data": PNG, "mimeType": "image/png"},
                    {"type": "resource_link", "uri": "file:///a.txt", "name": "a.txt", "mimeType": "text/plain"},
                    {"type": "resource", "resource": {"uri": "mem:b", "mimeType": "text/plain", "text": "b"}},
                ]
            }
        if name == "two":
            return {"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}
        if name == "long":
            return text("x" * 200_000)
        if name == "ask":
            schema = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
            ask = {"message": "Which colour?", "requestedSchema": schema}
            if "often" in MODE:
                answers = [self.ask("elicitation/create", ask)["result"]["action"] for _ in range(30)]
                return text(" ".join(answers))
            answer = self.ask("elicitation/create", ask)
            return text(json.dumps(answer.get("result", answer.get("error")), sort_keys=True))
        if name == "visit":
            ask = {"mode": "url", "message": "Go there", "url": "https://example.com", "elicitationId": "1"}
            answer = self.ask("elicitation/create", ask)
            return text(json.dumps(answer.get("result", answer.get("error")), sort_keys=True))
        if name == "sample":
            ask = {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 5}
            answer = self.ask("sampling/createMessage", ask)
            return text(json.dumps(answer.get("error")))
        if name == "roots":
            answer = self.ask("roots/list", {})
            return text(json.dumps(answer.get("result", answer.get("error")), sort_keys=True))
        if name == "progress":
            for step in (1, 2):
                params = {"progressToken": meta.get("progressToken"), "progress": step, "total": 2, "message": "working"}
                self.send({"method": "notifications/progress", "params": params})
                time.sleep(0.6)
            return text("done")
        if name == "env":
            return text(" ".join(sorted(set(os.environ) - {"LOOPWRIGHT_CALL", "LC_CTYPE"})))
        if name == "change":
            CHANGED.set()
            self.send({"method": "notifications/tools/list_changed"})
            return text("changed")
        return {"code": -32602, "message": "Unknown tool: " + name}


def stdio():
    def send(message):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    session = Session(send)
    for line in sys.stdin:
        session.take(json.loads(line))


def http(port):
    import http.server

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args):
            pass

        def do_GET(self):
            self.plain(405)

        def do_DELETE(self):
            self.plain(200)

        def plain(self, status, body=b"", kind="text/plain"):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            wanted = os.environ.get("MCP_TOKEN")
            if wanted and self.headers.get("Authorization") != "Bearer " + wanted:
                return self.plain(401)
            if self.path == "/moved":
                self.send_response(307)
                self.send_header("Location", "/mcp")
                self.send_header("Content-Length", "0")
                return self.end_headers()
            message = json.loads(body)
            if "id" not in message or "method" not in message:
                SESSION.take(message)
                return self.plain(202)
            # The answer comes as a stream of events, with whatever is told before it.
            done = threading.Event()
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()

            def send(answer):
                self.wfile.write(("data: " + json.dumps(answer) + "\n\n").encode())
                self.wfile.flush()
                if answer.get("id") == message["id"]:
                    done.set()

            SESSION.send_raw = send
            SESSION.take(message)
            done.wait(60)
            self.close_connection = True

    SESSION = Session(None)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    print("listening on", server.server_address[1], flush=True)
    server.serve_forever()


note("MCP_PID", str(os.getpid()))
if len(sys.argv) > 2 and sys.argv[1] == "http":
    http(sys.argv[2])
else:
    stdio()
