"""Networks and volumes: makes, finds, uses and removes them."""

from docker.errors import APIError, NotFound
from docker.types import IPAMConfig, IPAMPool

from engine import client


def networks():
    place = IPAMPool(
        subnet="10.208.0.0/16",
        iprange="10.208.5.0/24",
        gateway="10.208.5.254",
        aux_addresses={"router": "10.208.5.1"},
    )
    network = client.networks.create(
        "py-net",
        driver="bridge",
        ipam=IPAMConfig(pool_configs=[place]),
        internal=True,
        attachable=True,
        labels={"of": "py"},
        options={"com.docker.network.driver.mtu": "1400"},
    )
    facts = network.attrs
    print(facts["Driver"], facts["Internal"], facts["Attachable"], facts["Labels"], facts["Options"])
    print(sorted(facts["IPAM"]["Config"][0].items()))
    container = client.containers.run("busybox", ["sleep", "1000"], name="py-joined", detach=True)
    network.connect(container, ipv4_address="10.208.5.9", aliases=["other"])
    container.reload()
    place = container.attrs["NetworkSettings"]["Networks"]["py-net"]
    print(place["IPAddress"], "other" in place["Aliases"])
    print(container.exec_run(["nslookup", "other"]).output.count(b"10.208.5.9"))
    found = client.networks.list(filters={"label": "of=py"}, greedy=True)
    print([network.name for network in found], [one.name for one in found[0].containers])
    print(refused(network.remove, "has active endpoints"), refused(client.networks.get, "not found", "py-none"))
    network.disconnect(container)
    network.reload()
    print(network.containers, client.networks.prune(filters={"label": ["of=py"]})["NetworksDeleted"])
    container.remove(force=True)


def volumes():
    size = {"type": "tmpfs", "device": "tmpfs", "o": "size=1m"}
    volume = client.volumes.create("py-kept", driver="local", driver_opts=size, labels={"of": "py"})
    print(volume.name, sorted(volume.attrs["Options"].items()), volume.attrs["Labels"])
    print(client.volumes.create("py-kept").attrs["CreatedAt"] == volume.attrs["CreatedAt"])
    binds = {"py-kept": {"bind": "/x", "mode": "rw"}}
    user = client.containers.run("busybox", ["sleep", "1000"], name="py-user", volumes=binds, detach=True)
    print([(mount["Type"], mount["Name"], mount["Destination"]) for mount in user.attrs["Mounts"]])
    print([one.name for one in client.volumes.list(filters={"label": "of=py"})])
    print([one.name for one in client.volumes.list(filters={"dangling": True, "name": "py-kept"})])
    print(refused(volume.remove, "volume is in use"))
    user.remove(force=True)
    volume.remove()
    try:
        client.volumes.get("py-kept")
    except NotFound:
        print("gone")
    # Volumes without a name are pruned in every version.
    left = client.volumes.create(labels={"of": "py"})
    print(client.volumes.prune(filters={"label": ["of=py"]})["VolumesDeleted"] == [left.name])


def refused(act, why, *arguments):
    """Returns the status of a refusal, and whether it says why."""
    try:
        act(*arguments)
    except APIError as error:
        return error.status_code, why in error.explanation
