"""A client of the engine that the environment variable DOCKER_HOST names."""

import calendar
import time

import docker

client = docker.from_env(timeout=90)


def clock():
    """Returns the engine's time, in seconds since 1970 with a fraction. All events before this call are earlier, and
    all events after it are later."""
    time.sleep(0.005)
    moment, fraction = client.info()["SystemTime"].rstrip("Z").split(".")
    time.sleep(0.005)
    return f"{calendar.timegm(time.strptime(moment, '%Y-%m-%dT%H:%M:%S'))}.{fraction:0<9}"
