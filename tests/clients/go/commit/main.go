// Runs a command in a new container and commits the container as an image: commit IMAGE NEW COMMAND…
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

	config := container.Config{Image: os.Args[1], Cmd: os.Args[3:]}
	created, err := cli.ContainerCreate(ctx, &config, nil, nil, nil, "")
	check(err)
	check(cli.ContainerStart(ctx, created.ID, types.ContainerStartOptions{}))
	ended, failed := cli.ContainerWait(ctx, created.ID, container.WaitConditionNotRunning)
	select {
	case err := <-failed:
		check(err)
	case end := <-ended:
		fmt.Println("ended with", end.StatusCode)
	}

	options := types.ContainerCommitOptions{
		Reference: os.Args[2],
		Comment:   "by a Go program",
		Changes:   []string{"ENV MADE=here"},
	}
	committed, err := cli.ContainerCommit(ctx, created.ID, options)
	check(err)
	image, _, err := cli.ImageInspectWithRaw(ctx, committed.ID)
	check(err)
	fmt.Println(image.RepoTags, image.Comment, image.Config.Env[len(image.Config.Env)-1])
	check(cli.ContainerRemove(ctx, created.ID, types.ContainerRemoveOptions{}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
