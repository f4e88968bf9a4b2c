"""Reads information about containers and the engine: logs, statistics, lists, events."""

import datetime
import io
import tarfile

from engine import client, clock


def logs():
    script = "echo one; echo two >&2; echo three"
    container = client.containers.run("busybox", ["sh", "-c", script], detach=True)
    container.wait()
    print(container.logs(stderr=False), container.logs(stdout=False), container.logs(tail=0))
    stamped = container.logs(stderr=False, timestamps=True).decode().splitlines()
    print([line.split(" ")[1] for line in stamped])
    print(list(container.logs(stderr=False, stream=True, follow=False)))
    hour = datetime.timedelta(hours=1)
    now = datetime.datetime.utcnow()
    print(container.logs(since=now + hour), container.logs(until=now - hour), container.logs(stderr=False, since=now - hour))
    container.remove()


def stats():
    container = client.containers.run("busybox", ["sleep", "1000"], detach=True, mem_limit="64m", name="measured")
    readings = container.stats(decode=True)
    first, second = next(readings), next(readings)
    print(first["name"], second["preread"] == first["read"], second["memory_stats"]["limit"])
    once = container.stats(stream=False)
    print(once["id"] == container.id, once["pids_stats"]["current"], sorted(once["networks"]))
    print("total_usage" in once["cpu_stats"]["cpu_usage"], once["precpu_stats"]["system_cpu_usage"] > 0)
    container.remove(force=True)


def contents():
    container = client.containers.run("busybox", ["sh", "-c", "touch /new; rm /etc/group; sleep 1000"], detach=True)
    while "sleep 1000" not in [process[-1] for process in container.top()["Processes"]]:
        pass
    print(container.top(ps_args="-o pid,args")["Titles"])
    print(sorted((change["Kind"], change["Path"]) for change in container.diff()))
    archive = tarfile.open(fileobj=io.BytesIO(b"".join(container.export())))
    names = archive.getnames()
    print("new" in names, "etc/group" in names, "bin/busybox" in names)
    container.remove(force=True)


def lists():
    first = client.containers.create("busybox", ["true"], name="first", labels={"of": "list"})
    second = client.containers.run("busybox", ["sh", "-c", "exit 7"], name="second", detach=True)
    third = client.containers.run("busybox", ["sleep", "1000"], name="third", detach=True)
    second.wait()

    def names(**options):
        return sorted(container.name for container in client.containers.list(**options))

    print(names(), names(all=True), names(limit=1))
    print(names(all=True, filters={"status": ["created", "exited"]}), names(all=True, filters={"exited": 7}))
    print(names(all=True, filters={"ancestor": "busybox", "label": "of"}), names(filters={"name": "^/thi"}))
    print(names(filters={"before": "third"}, all=True), names(all=True, filters={"since": first.id}))
    print([c.attrs["Names"] for c in client.containers.list(sparse=True, ignore_removed=True)])
    print(len(client.api.containers(quiet=True, all=True)), len(client.api.containers(all=True, size=True)))
    for container in (first, second, third):
        container.remove(force=True)


def events():
    stream = client.events(decode=True, filters={"container": "heard"})
    container = client.containers.run("busybox", ["true"], name="heard", detach=True)
    container.wait()
    container.remove()
    for event in stream:
        print(event["Action"])
        if event["Action"] == "destroy":
            stream.close()
            break


def past_events():
    since = clock()
    client.containers.run("busybox", ["true"], name="once", remove=True, labels={"of": "events"})
    wanted = {"event": ["start", "die"], "label": ["of=events"], "type": "container"}
    heard = client.events(decode=True, since=since, until=clock(), filters=wanted)
    print([event["Action"] for event in heard])


def system():
    print(client.ping(), client.version()["Os"], client.info()["OSType"])
    used = client.df()
    print(used["LayersSize"] > 0, used["Containers"], len(used["Images"]) > 0)
    print(sorted(network.name for network in client.networks.list(names=["bridge", "none"])))
    print(client.networks.get("bridge").attrs["Driver"], "busybox:latest" in client.images.get("busybox").tags)
