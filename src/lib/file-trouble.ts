const troubles: Readonly<Record<string, string>> = {
  EACCES: "this user may not (permission denied)",
  EEXIST: "it is there already",
  EISDIR: "it is a directory",
  ELOOP: "its links go round",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "there is no such file or directory",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is no directory",
  EPERM: "this user may not (permission denied)",
  EROFS: "the disk can only be read",
};

/** Why something could not be done with a file, for a sentence that names the file already. */
export function fileTrouble(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  return (code === undefined ? undefined : troubles[code]) ?? message;
}
