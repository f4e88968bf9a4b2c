// Pulls an image and shows the progress as the docker CLI does: pull IMAGE
package main

import (
	"context"
	"log"
	"os"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/jsonmessage"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	messages, err := cli.ImagePull(ctx, os.Args[1], types.ImagePullOptions{})
	check(err)
	defer messages.Close()
	check(jsonmessage.DisplayJSONMessagesStream(messages, os.Stdout, os.Stdout.Fd(), false, nil))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
