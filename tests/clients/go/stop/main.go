// Stops every running container, with a timeout of 0 seconds.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/client"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	containers, err := cli.ContainerList(ctx, types.ContainerListOptions{})
	check(err)
	patience := time.Duration(0)
	for _, one := range containers {
		check(cli.ContainerStop(ctx, one.ID, &patience))
		fmt.Println("stopped", one.Names[0])
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
