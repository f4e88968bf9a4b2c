// Kinds of records, by the beginnings of their keys. What a migration reads had other kinds, maybe, and says so itself.

/** `container/ID` */
export const CONTAINER_RECORDS: string = "container/";
/** `network/ID` */
export const NETWORK_RECORDS: string = "network/";
/** `volume/NAME` */
export const VOLUME_RECORDS: string = "volume/";

/** `image/ID`: what is known of an image besides its config. */
export const IMAGE_RECORDS: string = "image/";
/** `config/ID`: the config's bytes. */
export const CONFIG_RECORDS: string = "config/";
/** `reference/CANONICAL`: id of the image that a tag or a digest names. */
export const REFERENCE_RECORDS: string = "reference/";
/** `layer/CHAIN`: a layer that an image has. */
export const LAYER_RECORDS: string = "layer/";

/** `commit/CONTAINER`: number of the run that must go on after a restart. */
export const HELD_RECORDS: string = "commit/";
/** `exec/EXEC`: its container's id and the number of the run, apart by a blank. */
export const EXEC_RECORDS: string = "exec/";

/** Of the engine itself. */
export const ENGINE_RECORDS: string = "engine/";
/** Identity of the installation. */
export const ENGINE_ID: string = "engine/id";
/** Decimal. Missing where there are records: they were written before there was a number, version 0. */
export const VERSION_RECORD: string = "engine/version";

/** `damaged/KEY`: a record that was set aside. */
export const SET_ASIDE: string = "damaged/";
