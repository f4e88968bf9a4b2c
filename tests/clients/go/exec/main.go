// Runs a command in a running container. Forwards its input, output and exit code: exec CONTAINER COMMAND…
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/stdcopy"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	config := types.ExecConfig{
		Cmd:          os.Args[2:],
		Env:          []string{"SAID=by exec"},
		WorkingDir:   "/tmp",
		AttachStdin:  true,
		AttachStdout: true,
		AttachStderr: true,
	}
	created, err := cli.ContainerExecCreate(ctx, os.Args[1], config)
	check(err)
	streams, err := cli.ContainerExecAttach(ctx, created.ID, types.ExecStartCheck{})
	check(err)
	defer streams.Close()
	go func() {
		io.Copy(streams.Conn, os.Stdin)
		streams.CloseWrite()
	}()
	_, err = stdcopy.StdCopy(os.Stdout, os.Stderr, streams.Reader)
	check(err)
	end, err := cli.ContainerExecInspect(ctx, created.ID)
	check(err)
	os.Exit(end.ExitCode)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
