// Makes, uses, finds and removes a network and volumes, and prints the results: networks IMAGE
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"
	"github.com/docker/docker/client"
)

var ctx = context.Background()
var ours = filters.NewArgs(filters.Arg("label", "of=go"))
var labels = map[string]string{"of": "go"}

func main() {
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()
	config := container.Config{Image: os.Args[1], Cmd: []string{"sleep", "1000"}}
	host := container.HostConfig{Binds: []string{"go-kept:/x"}}

	networks(cli, func() string {
		created, err := cli.ContainerCreate(ctx, &config, &container.HostConfig{}, nil, nil, "going-along")
		check(err)
		check(cli.ContainerStart(ctx, created.ID, types.ContainerStartOptions{}))
		return created.ID
	})
	volumes(cli, func() string {
		created, err := cli.ContainerCreate(ctx, &config, &host, nil, nil, "")
		check(err)
		return created.ID
	})
}

func networks(cli *client.Client, run func() string) {
	place := network.IPAMConfig{Subnet: "10.206.0.0/16", IPRange: "10.206.5.0/24", Gateway: "10.206.5.254"}
	made, err := cli.NetworkCreate(ctx, "go-net", types.NetworkCreate{
		Driver:   "bridge",
		Internal: true,
		Labels:   labels,
		IPAM:     &network.IPAM{Driver: "default", Config: []network.IPAMConfig{place}},
	})
	check(err)
	shown, err := cli.NetworkInspect(ctx, made.ID, types.NetworkInspectOptions{Verbose: true})
	check(err)
	at := shown.IPAM.Config[0]
	fmt.Println("create", shown.Driver, shown.Internal, shown.Labels, at.Subnet, at.IPRange, at.Gateway)

	id := run()
	check(cli.NetworkConnect(ctx, "go-net", id, &network.EndpointSettings{
		IPAMConfig: &network.EndpointIPAMConfig{IPv4Address: "10.206.5.9"},
		Aliases:    []string{"other"},
	}))
	joined, err := cli.ContainerInspect(ctx, id)
	check(err)
	endpoint := joined.NetworkSettings.Networks["go-net"]
	fmt.Println("connect", endpoint.IPAddress, strings.Contains(strings.Join(endpoint.Aliases, " "), "other"))
	shown, err = cli.NetworkInspect(ctx, "go-net", types.NetworkInspectOptions{})
	check(err)
	fmt.Println("inspect", joined.Name, shown.Containers[id].IPv4Address)
	found, err := cli.NetworkList(ctx, types.NetworkListOptions{Filters: ours})
	check(err)
	fmt.Println("list", len(found), found[0].Name)
	err = cli.NetworkRemove(ctx, "go-net")
	fmt.Println("remove", err != nil && strings.Contains(err.Error(), "has active endpoints"))
	check(cli.NetworkDisconnect(ctx, "go-net", id, false))
	left, err := cli.ContainerInspect(ctx, id)
	check(err)
	fmt.Println("disconnect", len(left.NetworkSettings.Networks))
	pruned, err := cli.NetworksPrune(ctx, ours)
	check(err)
	fmt.Println("prune", pruned.NetworksDeleted)
	_, err = cli.NetworkInspect(ctx, "go-net", types.NetworkInspectOptions{})
	fmt.Println("inspect", client.IsErrNotFound(err))
	check(cli.ContainerRemove(ctx, id, types.ContainerRemoveOptions{Force: true}))
}

func volumes(cli *client.Client, create func() string) {
	made, err := cli.VolumeCreate(ctx, volume.VolumeCreateBody{
		Name:       "go-kept",
		DriverOpts: map[string]string{"type": "tmpfs", "device": "tmpfs", "o": "size=1m"},
		Labels:     labels,
	})
	check(err)
	fmt.Println("volume", made.Name, made.Options, made.Labels)
	id := create()
	all, err := cli.VolumeList(ctx, ours)
	check(err)
	dangling := ours.Clone()
	dangling.Add("dangling", "true")
	unused, err := cli.VolumeList(ctx, dangling)
	check(err)
	fmt.Printf("used %d %s, %d dangling\n", len(all.Volumes), all.Volumes[0].Name, len(unused.Volumes))
	err = cli.VolumeRemove(ctx, "go-kept", false)
	fmt.Println("remove", err != nil && strings.Contains(err.Error(), "volume is in use"))
	check(cli.ContainerRemove(ctx, id, types.ContainerRemoveOptions{}))
	check(cli.VolumeRemove(ctx, "go-kept", false))
	_, err = cli.VolumeInspect(ctx, "go-kept")
	fmt.Println("removed", client.IsErrNotFound(err))
	// One without a name is pruned in every version.
	nameless, err := cli.VolumeCreate(ctx, volume.VolumeCreateBody{Labels: labels})
	check(err)
	pruned, err := cli.VolumesPrune(ctx, ours)
	check(err)
	fmt.Println("prune", len(pruned.VolumesDeleted) == 1 && pruned.VolumesDeleted[0] == nameless.Name)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
