// Pulls an image, runs a command in a new container, prints its output, and exits with its exit code:
// run IMAGE [COMMAND…]
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/stdcopy"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	pulling, err := cli.ImagePull(ctx, os.Args[1], types.ImagePullOptions{})
	check(err)
	_, err = io.Copy(io.Discard, pulling)
	check(err)
	check(pulling.Close())

	config := container.Config{Image: os.Args[1], Cmd: os.Args[2:]}
	created, err := cli.ContainerCreate(ctx, &config, nil, nil, nil, "")
	check(err)
	check(cli.ContainerStart(ctx, created.ID, types.ContainerStartOptions{}))

	ended, failed := cli.ContainerWait(ctx, created.ID, container.WaitConditionNotRunning)
	var code int64
	select {
	case err := <-failed:
		check(err)
	case end := <-ended:
		code = end.StatusCode
	}
	output, err := cli.ContainerLogs(ctx, created.ID, types.ContainerLogsOptions{ShowStdout: true, ShowStderr: true})
	check(err)
	_, err = stdcopy.StdCopy(os.Stdout, os.Stderr, output)
	check(err)
	check(cli.ContainerRemove(ctx, created.ID, types.ContainerRemoveOptions{}))
	os.Exit(int(code))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
