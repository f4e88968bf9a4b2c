// Lists the running containers; with filters, the stopped ones, too: list [FILTER=VALUE…]
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	wanted := filters.NewArgs()
	for _, filter := range os.Args[1:] {
		name, value, _ := strings.Cut(filter, "=")
		wanted.Add(name, value)
	}
	options := types.ContainerListOptions{Filters: wanted, All: wanted.Len() > 0}
	containers, err := cli.ContainerList(ctx, options)
	check(err)
	for _, one := range containers {
		fmt.Println(one.ID, one.Names, one.Image, one.State, one.Labels)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
