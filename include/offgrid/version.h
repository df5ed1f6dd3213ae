/* The version of offgrid: the one place where it is written. */
#ifndef OFFGRID_VERSION_H
#define OFFGRID_VERSION_H

#define OFFGRID_VERSION_MAJOR 0
#define OFFGRID_VERSION_MINOR 1
#define OFFGRID_VERSION_PATCH 0
#define OFFGRID_VERSION "0.1.0"

#endif
