"""What users of docker-py do, a story a function: each line on standard input is a story's name and its arguments as a
JSON list, each line on standard output what it printed."""

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
import running

STORIES = {
    name: story
    for module in (running, looking, inside, files, images)
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
