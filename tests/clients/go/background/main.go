// Starts a named container and leaves it running: background NAME IMAGE COMMAND…
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	config := container.Config{Image: os.Args[2], Cmd: os.Args[3:], Labels: map[string]string{"of": "go"}}
	created, err := cli.ContainerCreate(ctx, &config, &container.HostConfig{}, nil, nil, os.Args[1])
	check(err)
	check(cli.ContainerStart(ctx, created.ID, types.ContainerStartOptions{}))
	fmt.Println(created.ID)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
