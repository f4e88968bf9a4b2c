"""The engine, found as every program finds it: by DOCKER_HOST."""

import calendar
import time

import docker

client = docker.from_env(timeout=90)


def clock():
    """A moment after all events so far, and before all to come, by the engine's clock: seconds with their fraction."""
    time.sleep(0.005)
    moment, fraction = client.info()["SystemTime"].rstrip("Z").split(".")
    time.sleep(0.005)
    return f"{calendar.timegm(time.strptime(moment, '%Y-%m-%dT%H:%M:%S'))}.{fraction:0<9}"
