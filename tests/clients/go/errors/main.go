// Prints how the SDK's own functions classify errors: errors IMAGE
package main

import (
	"context"
	"fmt"
	"log"
	"os"

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

	late := &lateContext{Context: ctx, done: make(chan struct{})}
	_, failed := cli.ContainerWait(late, created.ID, container.WaitConditionNotRunning)
	// The engine has sent the head of its answer, and the end of the container is still missing.
	close(late.done)
	fmt.Println("wait", <-failed)
	check(cli.ContainerRemove(ctx, created.ID, types.ContainerRemoveOptions{Force: true}))
}

// A context whose deadline has passed once done is closed. A deadline in time could pass before the engine answers.
type lateContext struct {
	context.Context
	done chan struct{}
}

func (late *lateContext) Done() <-chan struct{} {
	return late.done
}

func (late *lateContext) Err() error {
	select {
	case <-late.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
