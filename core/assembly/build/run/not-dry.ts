/** A dry run unpacks and fetches nothing, so that it cannot know the steps. */
export const NOT_DRY = "a dry run cannot build: it does not unpack the archive that holds the Dockerfile";
