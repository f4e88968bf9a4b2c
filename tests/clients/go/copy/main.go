// Copies a file into a folder of a container, and then copies the folder out of it: copy CONTAINER
package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/client"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	var archive bytes.Buffer
	packing := tar.NewWriter(&archive)
	text := "copied by Go\n"
	check(packing.WriteHeader(&tar.Header{Name: "note", Mode: 0o640, Uid: 7, Gid: 8, Size: int64(len(text))}))
	_, err = io.WriteString(packing, text)
	check(err)
	check(packing.Close())
	check(cli.CopyToContainer(ctx, os.Args[1], "/tmp", &archive, types.CopyToContainerOptions{}))

	stat, err := cli.ContainerStatPath(ctx, os.Args[1], "/tmp/note")
	check(err)
	fmt.Println(stat.Name, stat.Size, stat.Mode)
	body, about, err := cli.CopyFromContainer(ctx, os.Args[1], "/tmp")
	check(err)
	defer body.Close()
	fmt.Println(about.Name, about.Mode)
	unpacking := tar.NewReader(body)
	for {
		entry, err := unpacking.Next()
		if err == io.EOF {
			return
		}
		check(err)
		content, err := io.ReadAll(unpacking)
		check(err)
		fmt.Printf("%s %d:%d %q\n", entry.Name, entry.Uid, entry.Gid, content)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
