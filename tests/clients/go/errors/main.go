// Prints how the SDK's own functions classify errors: errors IMAGE
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"github.com/docker/docker/errdefs"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	_, err = cli.ContainerInspect(ctx, "nothing-here")
	fmt.Println("inspect", client.IsErrNotFound(err), err)
	_, err = cli.ContainerCreate(ctx, &container.Config{Image: "nothing/here"}, nil, nil, nil, "")
	fmt.Println("create", client.IsErrNotFound(err), err)
	config := container.Config{Image: os.Args[1], Cmd: []string{"sleep", "1000"}}
	created, err := cli.ContainerCreate(ctx, &config, nil, nil, nil, "once")
	check(err)
	_, err = cli.ContainerCreate(ctx, &config, nil, nil, nil, "once")
	fmt.Println("name", errdefs.IsConflict(err))
	err = cli.ContainerPause(ctx, created.ID)
	fmt.Println("pause", errdefs.IsConflict(err))
	check(cli.ContainerStart(ctx, created.ID, types.ContainerStartOptions{}))
	err = cli.ContainerRemove(ctx, created.ID, types.ContainerRemoveOptions{})
	fmt.Println("remove", errdefs.IsConflict(err))
	_, err = cli.ContainerCreate(ctx, &config, &container.HostConfig{NetworkMode: "x:y:z"}, nil, nil, "__")
	fmt.Println("bad name", errdefs.IsInvalidParameter(err))

	brief, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, failed := cli.ContainerWait(brief, created.ID, container.WaitConditionNotRunning)
	fmt.Println("wait", <-failed)
	check(cli.ContainerRemove(ctx, created.ID, types.ContainerRemoveOptions{Force: true}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
