// Imports an image from a tar, pushes it, looks at its history, and removes it: shipping IMAGE
package main

import (
	"archive/tar"
	"bytes"
	"context"
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

	source := types.ImageImportSource{Source: tarOf("told", "shipped\n"), SourceName: "-"}
	options := types.ImageImportOptions{Message: "by a Go program", Changes: []string{"ENV MADE=here"}}
	imported, err := cli.ImageImport(ctx, source, os.Args[1], options)
	check(err)
	defer imported.Close()
	check(jsonmessage.DisplayJSONMessagesStream(imported, &bytes.Buffer{}, 0, false, nil))

	image, _, err := cli.ImageInspectWithRaw(ctx, os.Args[1])
	check(err)
	history, err := cli.ImageHistory(ctx, os.Args[1])
	check(err)
	fmt.Println(image.RepoTags[0] == os.Args[1], image.Config.Env, len(image.RootFS.Layers), history[0].Comment)

	pushed, err := cli.ImagePush(ctx, os.Args[1], types.ImagePushOptions{RegistryAuth: "e30="})
	check(err)
	defer pushed.Close()
	var said bytes.Buffer
	digest := ""
	aux := func(message jsonmessage.JSONMessage) {
		_, rest, _ := strings.Cut(string(*message.Aux), `"Digest":"`)
		digest, _, _ = strings.Cut(rest, `"`)
	}
	check(jsonmessage.DisplayJSONMessagesStream(pushed, &said, 0, false, aux))
	found, err := cli.DistributionInspect(ctx, os.Args[1], "")
	check(err)
	fmt.Println(strings.Contains(said.String(), "Pushed"), found.Descriptor.Digest.String() == digest)

	_, err = cli.ImagePush(ctx, os.Args[1]+"@"+digest, types.ImagePushOptions{RegistryAuth: "e30="})
	fmt.Println(err)
	removed, err := cli.ImageRemove(ctx, os.Args[1], types.ImageRemoveOptions{})
	check(err)
	fmt.Println(removed[0].Untagged == os.Args[1], strings.HasPrefix(removed[len(removed)-1].Deleted, "sha256:"))
}

func tarOf(name string, text string) *bytes.Buffer {
	var bytes bytes.Buffer
	writer := tar.NewWriter(&bytes)
	check(writer.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
	_, err := writer.Write([]byte(text))
	check(err)
	check(writer.Close())
	return &bytes
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
