"""Serves a model over HTTP with llama.cpp, on one thread and for this machine alone.

    python llamacpp.py WEIGHTS.gguf [--port PORT] [--context TOKENS]

It needs the package `xllamacpp`. When it is ready it prints its address, which is the `base_url` of a loopwright.toml. It ends
when its standard input ends, so it does not outlive a program that started it, or with Ctrl-C.
"""

import argparse
import os
import sys

import xllamacpp


def main():
    parser = argparse.ArgumentParser(description="Serves a model with llama.cpp.")
    parser.add_argument("weights", help="the file of weights, in the format GGUF")
    parser.add_argument("--port", type=int, default=0, help="any free port when left out")
    parser.add_argument("--context", type=int, default=4096, help="the most tokens of a prompt and its answer")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    if not os.path.isfile(args.weights):
        parser.error(f"there is no file {args.weights}")

    params = xllamacpp.CommonParams()
    params.model.path = args.weights
    params.model_alias = {os.path.basename(args.weights).split(".")[0]}
    params.n_ctx = args.context
    params.cpuparams.n_threads = args.threads
    params.cpuparams_batch.n_threads = args.threads
    # One answer at a time: then the same questions in the same order have the same answers.
    params.n_parallel = 1
    params.sampling.seed = 7
    params.hostnames = ["127.0.0.1"]
    params.port = args.port
    params.ui = False
    params.verbosity = 1
    server = xllamacpp.Server(params)

    print(f"{server.listening_address}/v1", flush=True)
    try:
        sys.stdin.buffer.read()
    except KeyboardInterrupt:
        pass
    # The server has threads of its own, which nobody has to wait for.
    os._exit(0)


if __name__ == "__main__":
    main()
