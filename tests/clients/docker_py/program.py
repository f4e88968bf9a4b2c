"""Does what users of docker-py do: each function of the modules is a test case, called a story. Each line on standard
input is a JSON list: a story's name and its arguments. For each, one line goes to standard output: a JSON object with
the text that the story printed ("told"), or with that text and a traceback if the story failed ("failed")."""

import contextlib
import inspect
import io
import json
import sys
import traceback

import files
import images
import inside
import looking
import networks
import running

STORIES = {
    name: story
    for module in (running, looking, inside, files, images, networks)
    for name, story in inspect.getmembers(module, inspect.isfunction)
    if story.__module__ == module.__name__
}

for line in sys.stdin:
    name, *arguments = json.loads(line)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            STORIES[name](*arguments)
        answer = {"told": printed.getvalue()}
    except Exception:
        answer = {"failed": printed.getvalue() + traceback.format_exc()}
    print(json.dumps(answer), flush=True)
