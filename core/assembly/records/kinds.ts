// The kinds of records, as prefixes of their keys. Migrations have to name earlier kinds themselves.

/** `container/ID` */
export const CONTAINER_RECORDS: string = "container/";
/** `network/ID` */
export const NETWORK_RECORDS: string = "network/";
/** `volume/NAME` */
export const VOLUME_RECORDS: string = "volume/";

/** `cache/ID`: a directory that `RUN --mount=type=cache` keeps. */
export const CACHE_RECORDS: string = "cache/";

/** `build/ID`: a build by BuildKit that is over. */
export const BUILD_RECORDS: string = "build/";

/** `image/ID`: what is stored about an image besides its config. */
export const IMAGE_RECORDS: string = "image/";
/** `config/ID`: the config's bytes. */
export const CONFIG_RECORDS: string = "config/";
/** `reference/CANONICAL`: id of the image that a tag or a digest refers to. */
export const REFERENCE_RECORDS: string = "reference/";
/** `layer/CHAIN`: a layer of an image. */
export const LAYER_RECORDS: string = "layer/";

/** `commit/CONTAINER`: number of the run that must be thawed after a restart. */
export const HELD_RECORDS: string = "commit/";
/** `exec/EXEC`: the container's id and the number of the run, separated by a space. */
export const EXEC_RECORDS: string = "exec/";

/** Records about the engine itself. */
export const ENGINE_RECORDS: string = "engine/";
/** Id of the installation. */
export const ENGINE_ID: string = "engine/id";
/**
 * A decimal number. If it is missing although there are records, they are of version 0, from before the number existed.
 */
export const VERSION_RECORD: string = "engine/version";

/** `damaged/KEY`: a record that was set aside. */
export const SET_ASIDE: string = "damaged/";
