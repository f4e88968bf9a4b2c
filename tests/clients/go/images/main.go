// Lists the images, one line per tag.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/client"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	images, err := cli.ImageList(ctx, types.ImageListOptions{})
	check(err)
	for _, image := range images {
		for _, tag := range image.RepoTags {
			fmt.Println(tag, image.ID, image.Size > 0)
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
