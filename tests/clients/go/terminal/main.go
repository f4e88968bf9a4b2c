// Runs a shell in a container with a terminal: terminal IMAGE LINE… It attaches before the start, resizes the terminal,
// types the lines, prints the output, and exits with the container's exit code.
package main

import (
	"context"
	"fmt"
	"io"
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

	config := container.Config{
		Image:        os.Args[1],
		Cmd:          []string{"sh"},
		Tty:          true,
		OpenStdin:    true,
		StdinOnce:    true,
		AttachStdin:  true,
		AttachStdout: true,
		AttachStderr: true,
	}
	created, err := cli.ContainerCreate(ctx, &config, &container.HostConfig{AutoRemove: true}, nil, nil, "")
	check(err)
	ended, failed := cli.ContainerWait(ctx, created.ID, container.WaitConditionRemoved)
	attach := types.ContainerAttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true}
	streams, err := cli.ContainerAttach(ctx, created.ID, attach)
	check(err)
	defer streams.Close()
	check(cli.ContainerStart(ctx, created.ID, types.ContainerStartOptions{}))
	check(cli.ContainerResize(ctx, created.ID, types.ResizeOptions{Height: 31, Width: 97}))

	for _, line := range os.Args[2:] {
		fmt.Fprintf(streams.Conn, "%s\n", line)
	}
	_, err = io.Copy(os.Stdout, streams.Reader)
	check(err)
	select {
	case err := <-failed:
		check(err)
	case end := <-ended:
		os.Exit(int(end.StatusCode))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
