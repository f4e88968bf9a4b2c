// Logs in to a registry and pulls an image from it: pull-login IMAGE USER PASSWORD
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/jsonmessage"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	registry, _, _ := strings.Cut(os.Args[1], "/")
	login := types.AuthConfig{Username: os.Args[2], Password: os.Args[3], ServerAddress: registry}
	known, err := cli.RegistryLogin(ctx, login)
	check(err)
	fmt.Println(known.Status)

	credentials, err := json.Marshal(login)
	check(err)
	options := types.ImagePullOptions{RegistryAuth: base64.URLEncoding.EncodeToString(credentials)}
	messages, err := cli.ImagePull(ctx, os.Args[1], options)
	check(err)
	defer messages.Close()
	check(jsonmessage.DisplayJSONMessagesStream(messages, os.Stdout, os.Stdout.Fd(), false, nil))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
