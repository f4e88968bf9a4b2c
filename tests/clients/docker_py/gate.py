"""Commands that wait until they may go on: what they say then comes neither too early nor later than it has to."""

import contextlib

import docker

from engine import client

FIRST, SECOND = "until test -e /first; do sleep 0.05; done", "until test -e /second; do sleep 0.05; done"

# What is asked while the tested one is busy with an answer.
other = docker.from_env(timeout=90)


def go_on(container, *, name):
    other.containers.get(container.id).exec_run(["touch", f"/{name}"])


@contextlib.contextmanager
def at_answers(container):
    """Whoever waits at FIRST goes on once the client has the head of an answer to the start of an exec."""

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
    """This client loses what reaches it together with the head of the answer: the script waits until it has that."""
    with at_answers(container):
        return container.exec_run(["sh", "-c", f"{FIRST}; {script}"], **options)
