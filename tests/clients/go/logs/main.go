// Prints the last three lines of a container's log, and follows the log to its end: logs CONTAINER
package main

import (
	"context"
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

	options := types.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Follow: true, Tail: "3"}
	lines, err := cli.ContainerLogs(ctx, os.Args[1], options)
	check(err)
	defer lines.Close()
	_, err = stdcopy.StdCopy(os.Stdout, os.Stderr, lines)
	check(err)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
