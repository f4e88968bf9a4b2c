"""Scripts that wait for a file before they write output, so that a test controls when the output comes."""

import contextlib

import docker

from engine import client

FIRST, SECOND = "until test -e /first; do sleep 0.05; done", "until test -e /second; do sleep 0.05; done"

# A second client, for requests while the tested client is still reading a response.
other = docker.from_env(timeout=90)


def go_on(container, *, name):
    other.containers.get(container.id).exec_run(["touch", f"/{name}"])


@contextlib.contextmanager
def at_answers(container):
    """Lets a script that waits at FIRST go on as soon as the client has received the headers of an exec's output."""

    def go(response, **_):
        if response.request.path_url.endswith("/start"):
            go_on(container, name="first")

    client.api.hooks["response"].append(go)
    try:
        yield
    finally:
        client.api.hooks["response"].remove(go)
        other.containers.get(container.id).exec_run(["rm", "-f", "/first", "/second"])


def said(container, script, **options):
    """Runs a script that waits until the client has received the response headers. Otherwise the client would lose
    output that arrives together with the headers."""
    with at_answers(container):
        return container.exec_run(["sh", "-c", f"{FIRST}; {script}"], **options)
