// Prints "listening", and then a container's events until it is destroyed: events NAME. With a time, it prints the
// events since that time, too: events NAME SINCE
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	options := types.EventsOptions{Filters: filters.NewArgs(
		filters.Arg("type", "container"),
		filters.Arg("container", os.Args[1]),
	)}
	if len(os.Args) > 2 {
		options.Since = os.Args[2]
	}
	messages, failed := cli.Events(ctx, options)
	fmt.Println("listening")
	for {
		select {
		case err := <-failed:
			check(err)
		case message := <-messages:
			fmt.Println(message.Action, message.Actor.Attributes["name"], message.Actor.Attributes["exitCode"])
			if message.Action == "destroy" {
				return
			}
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
