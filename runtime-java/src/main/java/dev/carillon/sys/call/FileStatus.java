package dev.carillon.sys.call;

import dev.carillon.sys.layout.Constants;

/**
 * What the kernel tells about a file.
 *
 * @param mode type and permissions, as in statx(2)
 * @param device the file system, major number above minor
 */
public record FileStatus(int mode, long size, long inode, long device, int uid, int links) {
    public boolean isSocket() {
        return (mode & Constants.S_IFMT) == Constants.S_IFSOCK;
    }

    public boolean isFolder() {
        return (mode & Constants.S_IFMT) == Constants.S_IFDIR;
    }

    /** The permissions alone. */
    public int permissions() {
        return mode & ~Constants.S_IFMT;
    }

    /** Whether both tell about the same file, whatever its names. */
    public boolean isSameFile(FileStatus other) {
        return inode == other.inode && device == other.device;
    }

    public boolean isRegular() {
        return (mode & Constants.S_IFMT) == Constants.S_IFREG;
    }
}
